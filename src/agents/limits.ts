/** JSON text takes up to six bytes a character; this is twice the maximum of a text that needs few escapes. */
export const TEXT_BODY_LIMIT = 67_108_864

/** How long a slow connection may take to send a request, in milliseconds. */
export const UPLOAD_MS = 600_000

/** How long storing a request may take, in milliseconds; a slow disk needs a while for large texts. */
export const WRITING_MS = 60_000

/** What to do with a text that is too large for a JSON body. */
export const UPLOAD_INSTEAD = 'Send a large text as a file (multipart/form-data, a part named "file") instead.'
