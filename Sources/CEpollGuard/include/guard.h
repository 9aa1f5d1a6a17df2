/* The target has no declarations: its functions replace the C library's when the program is linked. */
