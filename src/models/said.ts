import type { Said } from './contract.ts'

/** A message with the text around it, as sent to a provider. */
export function textOf ({ before = '', text, after = '' }: Said): string {
  return [before, text, after].filter((part) => part !== '').join('\n')
}
