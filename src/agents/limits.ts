/** JSON text takes up to six bytes a character; this is twice the ceiling of a text that needs few escapes. */
export const TEXT_BODY_LIMIT = 67_108_864

/** How long a slow line may take to send what a request carries, in milliseconds. */
export const UPLOAD_MS = 600_000
