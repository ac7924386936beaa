/**
 * Gives the memory of bytes back at once, where these are all that is in it. For bytes that nobody else holds: they are
 * gone afterwards. A body comes in faster than what is collected goes, and 60 MiB that only wait for that are as bad as
 * 60 MiB that are used.
 */
export function release ({ buffer, byteLength }: Uint8Array) {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
