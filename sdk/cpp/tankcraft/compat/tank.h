// For programs that spell the header's name in lower case: their file system did not mind.
#include <Tank.h>
