import { fill, texts } from './index.ts'

/** A label and what it is of, with the colon of the reader's language: French has a space before it. */
export const labelled = (label: string, text: string): string => fill(texts.value.ui.labelled, { label, text })
