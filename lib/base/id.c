/* SPDX-License-Identifier: GPL-3.0-or-later
 * 128 random bits as text. */
#include "base/id.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char hex[] = "0123456789abcdef";

void id_new(char ret[ID_SIZE])
{
    unsigned char bytes[(ID_SIZE - 1) / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        abort(); /* cannot happen: requests up to 256 bytes are not interrupted */
    for (size_t i = 0; i < sizeof bytes; i++) {
        ret[2 * i] = hex[bytes[i] >> 4];
        ret[2 * i + 1] = hex[bytes[i] & 15];
    }
    ret[ID_SIZE - 1] = '\0';
}

bool id_is_valid(const char *text)
{
    return strspn(text, hex) == ID_SIZE - 1 && text[ID_SIZE - 1] == '\0';
}
