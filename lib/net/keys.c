/* SPDX-License-Identifier: GPL-3.0-or-later
 * CURVE key pairs and their files. Buffers that held a secret are wiped before they are freed. */
#define _GNU_SOURCE /* explicit_bzero */
#include "net/keys.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "base/fdio.h"

#define FILE_MAX 1024

int keys_new(struct keys *ret, struct err *err)
{
    struct keys keys;

    if (zmq_curve_keypair(keys.public_key, keys.secret_key) < 0)
        return err_set(err, ERR_UNSUPPORTED, "libzmq makes no CURVE keys: %s", zmq_strerror(errno));
    *ret = keys;
    explicit_bzero(&keys, sizeof keys);
    return 0;
}

int keys_save(const struct keys *keys, const char *path, struct err *err)
{
    struct str text = {0};

    str_addf(&text, "public %s\nsecret %s\n", keys->public_key, keys->secret_key);
    const int result = fdio_write_atomic(path, text.text, text.length, 0600, err);
    explicit_bzero(text.text, text.length);
    str_done(&text);
    return result;
}

bool keys_is_public(const char *text)
{
    static const char z85[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    uint8_t bytes[32];

    return strnlen(text, KEY_SIZE) == KEY_SIZE - 1 && strspn(text, z85) == KEY_SIZE - 1 &&
           zmq_z85_decode(bytes, text) != NULL;
}

/* Reads `word Z85\n` at *at and moves behind it. */
static bool read_line(const char **at, const char *word, char ret[KEY_SIZE])
{
    const size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0 || (*at)[length] != ' ')
        return false;
    const char *key = *at + length + 1, *end = strchr(key, '\n');
    if (!end || end - key != KEY_SIZE - 1)
        return false;
    memcpy(ret, key, KEY_SIZE - 1);
    ret[KEY_SIZE - 1] = '\0';
    *at = end + 1;
    return keys_is_public(ret);
}

static int parse(const char *text, struct keys *ret, struct err *err)
{
    char derived[KEY_SIZE];

    if (!read_line(&text, "public", ret->public_key) ||
        !read_line(&text, "secret", ret->secret_key) || *text != '\0')
        return err_set(err, ERR_INPUT, "not a key file: two lines, public and secret, expected");
    if (zmq_curve_public(derived, ret->secret_key) < 0 || strcmp(derived, ret->public_key) != 0)
        return err_set(err, ERR_INPUT, "the public key is not the secret key's");
    return 0;
}

int keys_load(const char *path, struct keys *ret, struct err *err)
{
    struct str text = {0};
    struct keys keys = {{0}, {0}};
    int result = -1;

    if (fdio_check_private(path, err) == 0 && fdio_read_file(path, FILE_MAX, &text, err) == 0 &&
        parse(str_get(&text), &keys, err) == 0) {
        *ret = keys;
        result = 0;
    }
    explicit_bzero(&keys, sizeof keys);
    if (text.text)
        explicit_bzero(text.text, text.cap);
    str_done(&text);
    return result < 0 ? err_wrap(err, "%s", path) : 0;
}

int keys_load_or_new(const char *path, struct keys *ret, struct err *err)
{
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return keys_load(path, ret, err);
    if (keys_new(ret, err) < 0)
        return -1;
    return keys_save(ret, path, err);
}
