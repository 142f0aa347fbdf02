/* SPDX-License-Identifier: GPL-3.0-or-later
 * Unpacking under caps and the checks of single fields; see wire_pb.h. */
#include "wire_pb.h"

#include <stdlib.h>
#include <string.h>

static void *budget_alloc(void *data, size_t size)
{
    struct wire_pool *pool = data;

    if (size > pool->left)
        return NULL;
    pool->left -= size;
    return malloc(size);
}

static void budget_free(void *data, void *memory)
{
    (void)data;
    free(memory);
}

int wire_pool_unpack(struct wire_pool *pool, const ProtobufCMessageDescriptor *type,
                     const void *bytes, size_t length, size_t cap, struct err *err)
{
    static const uint8_t nothing[1];

    if (length > cap)
        return err_set(err, ERR_LIMIT, "%s of %zu bytes, at most %zu are allowed", type->short_name,
                       length, cap);
    pool->allocator = (ProtobufCAllocator){budget_alloc, budget_free, pool};
    pool->left = (size_t)LIMIT_UNPACK_FACTOR * LIMIT_SAMPLE_FRAME;
    pool->message =
        protobuf_c_message_unpack(type, &pool->allocator, length, length ? bytes : nothing);
    if (!pool->message)
        return err_set(err, ERR_PROTO, "%zu bytes are no %s", length, type->short_name);
    return 0;
}

void wire_pool_done(struct wire_pool *pool)
{
    if (pool->message)
        protobuf_c_message_free_unpacked(pool->message, &pool->allocator);
    pool->message = NULL;
}

void wire_pb_pack(const ProtobufCMessage *message, struct str *ret)
{
    const size_t length = protobuf_c_message_get_packed_size(message);

    ret->text = mem_grow(ret->text, &ret->cap, ret->length + length + 1, 1);
    protobuf_c_message_pack(message, (uint8_t *)ret->text + ret->length);
    ret->length += length;
    ret->text[ret->length] = '\0';
}

static bool has_odd_control(const char *text, size_t length)
{
    size_t from = 0;

    for (size_t i = 0; i < length; i++)
        if (text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
            if (str_has_control(text + from, i - from))
                return true;
            from = i + 1;
        }
    return str_has_control(text + from, length - from);
}

int wire_text(const char *text, int how, size_t max, const char *what, char **slot, struct err *err)
{
    const size_t length = strnlen(text, max + 1);

    if (length == 0 && (how & (WIRE_OR_NULL | WIRE_OR_EMPTY)) == 0)
        return err_set(err, ERR_PROTO, "%s is missing", what);
    if (length > max)
        return err_set(err, ERR_LIMIT, "%s is over %zu bytes", what, max);
    if (!str_is_utf8(text, length))
        return err_set(err, ERR_PROTO, "%s is not UTF-8", what);
    if (how & WIRE_TEXT ? has_odd_control(text, length) : str_has_control(text, length))
        return err_set(err, ERR_PROTO, "%s holds control bytes", what);
    if (how & WIRE_NAME && length > 0 && !str_is_name(text))
        return err_set(err, ERR_PROTO, "%s \"%s\" is not a name", what, text);
    mem_free(*slot);
    *slot = length == 0 && how & WIRE_OR_NULL ? NULL : mem_strdup(text);
    return 0;
}

int wire_texts(char *const *text, size_t n, int how, size_t max, size_t max_n, const char *what,
               struct strlist *ret, struct err *err)
{
    if (wire_at_most(n, max_n, what, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        CLEAN_MEM char *copy = NULL;

        if (wire_text(text[i], how, max, what, &copy, err) < 0)
            return -1;
        strlist_add(ret, copy);
    }
    return 0;
}

int wire_id(const char *text, bool optional, const char *what, char ret[ID_SIZE], struct err *err)
{
    if (!id_is_valid(text) && !(optional && text[0] == '\0'))
        return err_set(err, ERR_PROTO, "%s is not an identifier", what);
    memcpy(ret, text, strlen(text) + 1);
    return 0;
}

int wire_digest(const char *text, bool optional, const char *what, char ret[DIGEST_SIZE],
                struct err *err)
{
    if (!digest_is_valid(text) && !(optional && text[0] == '\0'))
        return err_set(err, ERR_PROTO, "%s is not a SHA-256 digest", what);
    memcpy(ret, text, strlen(text) + 1);
    return 0;
}

int wire_at_most(uint64_t value, uint64_t max, const char *what, struct err *err)
{
    if (value > max)
        return err_set(err, ERR_LIMIT, "%s: %llu, at most %llu are allowed", what,
                       (unsigned long long)value, (unsigned long long)max);
    return 0;
}

int wire_not_negative(int64_t value, const char *what, struct err *err)
{
    if (value < 0)
        return err_set(err, ERR_PROTO, "%s is negative", what);
    return 0;
}

/* Bytes of the UTF-8 character that begins at p, 0 when none does. */
static size_t character(const unsigned char *p, size_t left)
{
    for (size_t n = 1; n <= 4 && n <= left; n++)
        if (str_is_utf8(p, n))
            return n;
    return 0;
}

char *wire_clean(const void *bytes, size_t length, size_t max, bool lines)
{
    const unsigned char *p = bytes;
    struct str out = {0};

    for (size_t i = 0; i < length;) {
        const size_t n = character(p + i, length - i);
        const bool keep = n > 0 && ((lines && (p[i] == '\n' || p[i] == '\t')) ||
                                    !str_has_control((const char *)p + i, n));
        const size_t step = n ? n : 1;

        if (out.length + (keep ? n : 4 * step) > max)
            break;
        if (keep)
            str_add_bytes(&out, p + i, n);
        else
            for (size_t k = 0; k < step; k++)
                str_addf(&out, "\\x%02x", p[i + k]);
        i += step;
    }
    return str_take(&out);
}

char *wire_borrow(const char *text)
{
    static char empty[1];

    return text ? (char *)text : empty;
}
