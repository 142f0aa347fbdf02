/* SPDX-License-Identifier: GPL-3.0-or-later
 * Notes of an ELF file, every offset checked against the file's size. */
#include "agent/platform/elf.h"

#include <elf.h>
#include <string.h>

#include "base/fdio.h"

enum { FILE_MAX = 16 * 1024 * 1024, TEXT_MAX = 200 };

static bool read_all(const struct platform *platform, const char *path, struct str *ret)
{
    CLEAN_MEM char *full = platform_path(platform, path);

    return fdio_read_file(full, FILE_MAX, ret, NULL) == 0 && ret->length > sizeof(Elf64_Ehdr);
}

/* Notes in [offset, offset + size): name size, descriptor size, type, name, descriptor, each part
 * padded to 4 bytes. */
static bool find_note(const struct str *file, uint64_t offset, uint64_t size, struct str *ret)
{
    if (offset > file->length || size > file->length - offset)
        return false;
    for (const uint64_t end = offset + size; end - offset >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr note;

        memcpy(&note, file->text + offset, sizeof note);
        const uint64_t name = offset + sizeof note;
        const uint64_t text = name + ((uint64_t)note.n_namesz + 3) / 4 * 4;
        const uint64_t next = text + ((uint64_t)note.n_descsz + 3) / 4 * 4;
        if (next > end)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(file->text + name, "GNU", 4) == 0) {
            str_clear(ret);
            for (uint64_t i = 0; i < note.n_descsz; i++)
                str_addf(ret, "%02x", (unsigned char)file->text[text + i]);
            return ret->length > 0;
        }
        offset = next;
    }
    return false;
}

bool elf_build_id(const struct platform *platform, const char *path, struct str *ret)
{
    CLEAN_DONE(str) struct str file = {0};
    Elf64_Ehdr head;

    if (!read_all(platform, path, &file))
        return false;
    memcpy(&head, file.text, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr))
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        const uint64_t at = head.e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
        Elf64_Phdr part;

        if (at > file.length || file.length - at < sizeof part)
            return false;
        memcpy(&part, file.text + at, sizeof part);
        if (part.p_type == PT_NOTE && find_note(&file, part.p_offset, part.p_filesz, ret))
            return true;
    }
    return false;
}

bool elf_find_text(const struct platform *platform, const char *path, const char *prefix,
                   struct str *ret)
{
    CLEAN_DONE(str) struct str file = {0};
    const size_t length = strlen(prefix);

    if (!read_all(platform, path, &file))
        return false;
    for (size_t i = 0; i + length < file.length; i++) {
        if (file.text[i] != prefix[0] || memcmp(file.text + i, prefix, length) != 0)
            continue;
        size_t n = 0;
        while (i + n < file.length && n < TEXT_MAX && (unsigned char)file.text[i + n] >= 0x20 &&
               (unsigned char)file.text[i + n] < 0x7f)
            n++;
        str_clear(ret);
        str_add_bytes(ret, file.text + i, n);
        return true;
    }
    return false;
}
