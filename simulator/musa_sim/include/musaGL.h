/* Buffers and textures of OpenGL in the driver API. The simulator shares none: musa.h declares the functions, and they
 * return "not supported". OpenGL's own header comes with it where the machine has it.
 */
#ifndef MUSA_SIM_MUSAGL_H
#define MUSA_SIM_MUSAGL_H

#include <musa.h>

#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned int GLenum;
typedef unsigned int GLuint;
#endif

#endif
