/* PTX is text: programs measure it by strlen, write it line by line, and look for its directives. MTRTC makes an image,
 * which has bytes of all values. So the toolkit's NVRTC gives the image in base64, in comments of a PTX without code, and
 * the driver's functions that load PTX take the image out again.
 */
#ifndef MUSA_CUDA_ADAPTER_IMAGE_TEXT_H
#define MUSA_CUDA_ADAPTER_IMAGE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUSA_CUDA_TEXT_BEGINS "//\n// An image for MUSA, in base64\n//\n"
#define MUSA_CUDA_TEXT_LINE "//= "

static inline int musa_cuda_digit(char letter) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = letter ? strchr(digits, letter) : 0;
    return found ? (int)(found - digits) : -1;
}

/* The image in a text, to be freed, and its size; 0 if `code` is none. */
static inline void *musa_cuda_image_of_text(const void *code, size_t *size) {
    const char *text = (const char *)code;
    unsigned char *image;
    size_t made = 0;
    unsigned bits = 0, held = 0;
    if (!text || strncmp(text, MUSA_CUDA_TEXT_BEGINS, sizeof(MUSA_CUDA_TEXT_BEGINS) - 1) != 0) return 0;
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
    if (size) *size = made;
    return image;
}

/* The text of a file that begins as such a text does, to be freed; 0 for any other file. */
static inline char *musa_cuda_text_of_file(const char *path) {
    FILE *file = path ? fopen(path, "rb") : 0;
    char start[sizeof(MUSA_CUDA_TEXT_BEGINS) - 1];
    char *text = 0;
    long size;
    if (!file) return 0;
    if (fread(start, 1, sizeof(start), file) == sizeof(start) && memcmp(start, MUSA_CUDA_TEXT_BEGINS, sizeof(start)) == 0 &&
        fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0 &&
        (text = (char *)malloc((size_t)size + 1)) != 0) {
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    fclose(file);
    return text;
}

#endif
