/**
 * Frees the memory of bytes at once, if its buffer holds nothing else. Only for bytes that nobody else references: they
 * are lost afterwards. Bodies arrive faster than garbage is collected, and 60 MiB waiting for that are as bad as 60 MiB
 * in use.
 */
export function release ({ buffer, byteLength }: Uint8Array) {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
