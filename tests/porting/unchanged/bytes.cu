// Latin-1 é and a broken byte ÿ, CRLF line
int naÃ¯ve_cuda = 1;
