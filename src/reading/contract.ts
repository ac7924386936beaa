import type { ArchiveParts } from './formats/archive.ts'

/** A recognised file, parsed as far as its reader needs; `format`: as shown in `metadata.format`. */
export type Recognised =
  | { format: 'pdf' | 'rtf' | 'eml' | 'msg', bytes: Uint8Array }
  | { format: 'docx' | 'pptx' | 'xlsx' | 'odt' | 'odp' | 'ods' | 'epub', parts: ArchiveParts }
  | { format: 'json', value: unknown }
  | { format: 'csv' | 'tsv', text: string, delimiter: string }
  | { format: 'html' | 'xml' | 'markdown' | 'text' | 'srt' | 'vtt', text: string }

/** A file recognised as one of these kinds. */
export type RecognisedAs<Name, File = Recognised> =
  File extends { format: infer Names } ? Name extends Names ? File & { format: Name } : never : never

/** A kind of document that can be read; each is described in `formats.ts`. */
export type Format = Recognised['format']

/** Claims about a file. Trusted only where the bytes leave it open. */
export interface Hints { name?: string, contentType?: string }
