import { runChild } from '../../platform/process/child.ts'
import { parsed } from './parse.ts'

/** Reads one message, files with their texts, and answers what each holds. */
export function respond (message: string): unknown {
  const files = JSON.parse(message) as Array<[path: string, text: string]>
  return { files: files.map(([path, text]) => parsed(path, text)) }
}

/** The sandbox's side: the files on standard input, the answer as a line on standard output. */
export const runConfigChild = async () => await runChild((input) => [respond(input.toString())])
