/* The target has no declarations: its functions take the place of the C library's when the program is linked. */
