/** Cases that may run at once, and runs of one case: what the file, the command and the library take. */
export const mostParallel = 256;
export const mostRepeats = 100_000;
