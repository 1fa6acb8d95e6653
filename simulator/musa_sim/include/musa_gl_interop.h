/* Buffers and textures of OpenGL in the runtime API. The simulator shares none: musa_runtime_api.h declares the functions, and they
 * return "not supported". OpenGL's own header comes with it where the machine has it.
 */
#ifndef MUSA_SIM_MUSA_GL_INTEROP_H
#define MUSA_SIM_MUSA_GL_INTEROP_H

#include <musa_runtime_api.h>

#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned int GLenum;
typedef unsigned int GLuint;
#endif

#endif
