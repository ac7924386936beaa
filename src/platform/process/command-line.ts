import { isSea } from 'node:sea'

/** What a person types to run a command of this program: the executable's name, or npm where it runs from source. */
export function commandLine (command: string, packed: boolean = isSea()): string {
  return `${packed ? 'agenthall' : 'npm run -s agenthall --'} ${command}`
}
