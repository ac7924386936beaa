/** What Node is given to run the program from source as `npm start` does; what it compiles is kept for later starts. */
export const FROM_SOURCE = ['--require', './src/check-node.cjs', '--require', './src/fast-start.cjs', 'src/main.ts']
