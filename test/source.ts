/**
 * Node's arguments for running the program from source as `npm start` does; compiled code is cached for later starts.
 */
export const FROM_SOURCE = ['--require', './src/check-node.cjs', '--require', './src/fast-start.cjs', 'src/main.ts']
