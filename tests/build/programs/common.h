#pragma once
#define OFFSET 1
