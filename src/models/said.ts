import type { Said } from './contract.ts'

/** Something said with all that stands around it, as a provider is sent it. */
export function textOf ({ before = '', text, after = '' }: Said): string {
  return [before, text, after].filter((part) => part !== '').join('\n')
}
