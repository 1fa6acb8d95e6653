/* PTX is text: programs measure it by strlen, write it line by line, and look for its directives. MTRTC makes an image,
 * which has bytes of all values. So the toolkit's NVRTC gives the image in base64, in comments of a PTX without code, and
 * the driver's functions that load PTX take the image out again.
 */
#ifndef MUSA_CUDA_ADAPTER_IMAGE_TEXT_H
#define MUSA_CUDA_ADAPTER_IMAGE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of the image in bytes and its checksum follow, in decimal digits. */
#define MUSA_CUDA_TEXT_MARK "// An image for MUSA, in base64: "
#define MUSA_CUDA_TEXT_LINE "//= "

/* FNV-1a. */
static inline unsigned musa_cuda_checksum(const unsigned char *bytes, size_t size) {
    unsigned sum = 2166136261u;
    size_t i;
    for (i = 0; i < size; ++i) sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

static inline int musa_cuda_digit(char letter) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = letter ? strchr(digits, letter) : 0;
    return found ? (int)(found - digits) : -1;
}

/* Whether `code` is PTX, which ends with a null character: it begins with a comment or a directive, after blanks. */
static inline int musa_cuda_is_text(const void *code) {
    const char *text = (const char *)code;
    if (!text) return 0;
    text += strspn(text, " \t\r\n");
    if (*text == '/') return text[1] == '/' || text[1] == '*';
    return strncmp(text, ".version", 8) == 0 || strncmp(text, ".target", 7) == 0;
}

/* The image in PTX, to be freed, and its size; 0 if the text has none, or not all of it as it was made. */
static inline void *musa_cuda_image_of_text(const void *code, size_t *size) {
    const char *text = strstr((const char *)code, MUSA_CUDA_TEXT_MARK);
    unsigned char *image;
    size_t made = 0, wanted;
    unsigned bits = 0, held = 0, checksum;
    if (!text || sscanf(text + sizeof(MUSA_CUDA_TEXT_MARK) - 1, "%zu bytes, checksum %u", &wanted, &checksum) != 2) return 0;
    image = (unsigned char *)malloc(strlen(text));
    while (image && (text = strstr(text, "\n" MUSA_CUDA_TEXT_LINE)) != 0) {
        int digit;
        for (text += sizeof("\n" MUSA_CUDA_TEXT_LINE) - 1; (digit = musa_cuda_digit(*text)) >= 0; ++text) {
            bits = bits << 6 | (unsigned)digit;
            held += 6;
            if (held >= 8) {
                held -= 8;
                image[made++] = (unsigned char)(bits >> held);
            }
        }
    }
    if (image && (made != wanted || musa_cuda_checksum(image, made) != checksum)) {
        free(image);
        return 0;
    }
    *size = made;
    return image;
}

/* The content of a file of PTX, to be freed; 0 for any other file. */
static inline char *musa_cuda_text_of_file(const char *path) {
    FILE *file = path ? fopen(path, "rb") : 0;
    char start[65];
    char *text = 0;
    long size;
    if (!file) return 0;
    start[fread(start, 1, sizeof(start) - 1, file)] = 0;
    if (musa_cuda_is_text(start) && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (text = (char *)malloc((size_t)size + 1)) != 0) {
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    fclose(file);
    return text;
}

#endif
