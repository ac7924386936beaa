/** JSON text takes up to six bytes a character; this is twice the ceiling of a text that needs few escapes. */
export const TEXT_BODY_LIMIT = 67_108_864

/** How long a slow line may take to send what a request carries, in milliseconds. */
export const UPLOAD_MS = 600_000

/** How long writing down what was sent may take, in milliseconds; a slow disk needs a while for large texts. */
export const WRITING_MS = 60_000

/** What to do with a text that is too large for a JSON body. */
export const UPLOAD_INSTEAD = 'Send a large text as a file (multipart/form-data, a part named "file") instead.'
