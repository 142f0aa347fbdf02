/* SPDX-License-Identifier: GPL-3.0-or-later
 * Command lines: split into words, and the readers of numbers. */
#include "fuzz.h"

#include <string.h>

#include "model/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEAN_MEM char *text = mem_strndup((const char *)data, size);
    CLEAN_MEM char *visible = str_visible(text, size);
    struct strlist words = {0};
    struct err err = {0};
    uint64_t whole;
    int64_t ns;
    double number;

    FUZZ_HOLDS(str_is_utf8(visible, strlen(visible)) && !str_has_control(visible, strlen(visible)));
    if (words_split(text, &words, &err) < 0)
        FUZZ_HOLDS(err.text[0] != '\0');
    FUZZ_HOLDS(str_to_u64(text, &whole, &err) <= 0);
    FUZZ_HOLDS(str_to_duration(text, &ns, &err) < 0 || ns >= 0);
    FUZZ_HOLDS(str_to_bytes(text, &whole, &err) <= 0);
    if (str_to_double(text, &number, &err) == 0) {
        char shown[32];
        double again = 0;

        str_from_double(number, shown);
        FUZZ_HOLDS(str_to_double(shown, &again, &err) == 0 && again == number);
    }
    strlist_done(&words);
    return 0;
}
