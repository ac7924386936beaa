import { runCommand } from '../platform/process/command.ts'

/** Reads the letters in a picture of a page. Throws SandboxError, or the signal's reason. */
export type Recognise = (picture: Buffer, signal?: AbortSignal) => Promise<string>

/** Limits for reading one page. */
const MEMORY_MIB = 1024
const DEADLINE_MS = 120_000
const MAX_OUTPUT = 2 ** 20

/** A setting's words as a command; null where it names none. Tesseract alone gets the options that we need. */
export function recognitionCommand (setting: string): string[] | null {
  const words = setting.split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  return words.length === 1 && /(?:^|\/)tesseract$/.test(words[0] ?? '') ? [...words, '-', '-'] : words
}

/** Recognition by a system program, which runs sandboxed. */
export function recognitionBy (command: string[]): Recognise {
  return (picture, signal) =>
    runCommand({
      command,
      input: [picture],
      memoryMiB: MEMORY_MIB,
      deadlineMs: DEADLINE_MS,
      maxOutput: MAX_OUTPUT,
      ...(signal && { signal })
    })
}
