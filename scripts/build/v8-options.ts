/**
 * How V8 runs the program, as the scripts of package.json say too. It lets young memory grow to 32 MiB and more, and
 * then copies what is alive of it at one stretch: up to 54 ms beside hostile visitors, while everybody waits.
 */
export const V8_OPTIONS = ['--min-semi-space-size=4', '--max-semi-space-size=4']
