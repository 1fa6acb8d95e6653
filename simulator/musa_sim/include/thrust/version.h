/* The release whose interface the subset follows: that of muThrust, Thrust 1.12.1. */
#ifndef MUSA_THRUST_VERSION_H
#define MUSA_THRUST_VERSION_H

#define THRUST_VERSION 101201
#define THRUST_MAJOR_VERSION (THRUST_VERSION / 100000)
#define THRUST_MINOR_VERSION (THRUST_VERSION / 100 % 1000)
#define THRUST_SUBMINOR_VERSION (THRUST_VERSION % 100)

#endif
