#pragma once
#define SUM (2 + OTHER)
