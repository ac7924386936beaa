/** Why a document could not be read, with the sentence shown when the reader has nothing better to say. */
export const EXTRACT_ERRORS = {
  unsupported_format:
    'This kind of file cannot be read. Upload a PDF, Word, PowerPoint, Excel, OpenDocument, RTF, CSV, TSV, HTML, XML, Markdown, text, JSON or EPUB file, a message (.eml, .msg) or subtitles (.srt, .vtt).',
  no_text: 'The file holds no text.',
  needs_recognition:
    'The PDF holds no text, only pictures: it was probably scanned. Run text recognition (OCR) on it and upload the result, or ask the operator to switch it on here (AGENTHALL_OCR).',
  unknown_encoding:
    'The text encoding of the file cannot be detected. Save it as UTF-8 and upload it again.',
  unknown_letters:
    'The PDF shows letters, but does not say which ones they are. Create it again with the program that it comes from, or run text recognition (OCR) on it, and upload the result.',
  encrypted: 'The file is protected with a password. Save it without one and upload it again.',
  damaged:
    'The file is damaged and cannot be read. Open it in the program that made it, save it again and upload the new file.',
  too_large: 'The file holds more than can be read at once. Split it and upload the parts.',
  unsafe:
    'The file declares XML entities, which are not followed because they can be used to attack. Save it again with an office program.',
  timeout: 'Reading the file took too long. Split it and upload the parts.',
  out_of_memory: 'Reading the file needs more memory than a file may use. Split it and upload the parts.'
} as const

/**
 * The reader crashed on this file: a fault of ours, since no file may cause that. Worth a retry; the operator's log has
 * the cause.
 */
export class ReaderError extends Error {
  readonly code = 'reader_failed'
  readonly retryable = true

  constructor (cause: unknown) {
    super(
      'The part of this server that reads files stopped while it was at work. That is a fault of ours, not of what you sent: ' +
        'it is worth another try. If it happens again, ask the operator to check the log.',
      { cause }
    )
    this.name = 'ReaderError'
  }
}

/** The machine-readable reason, a source's `code` when it ends `Failed`. */
export type ExtractErrorCode = keyof typeof EXTRACT_ERRORS

/** An untrusted file could not be read. Retrying is pointless: the same bytes fail the same way. */
export class ExtractError extends Error {
  readonly code: ExtractErrorCode
  readonly retryable = false

  constructor (code: ExtractErrorCode, message: string = EXTRACT_ERRORS[code], options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExtractError'
    this.code = code
  }
}
