// For programs that include the header in lower case, as file systems of Windows allow.
#include <Tank.h>
