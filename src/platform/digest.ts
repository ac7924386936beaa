import { createHash, webcrypto } from 'node:crypto'

/** SHA-256 in hexadecimal. */
export function sha256 (content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The same off the main thread: a file of 32 MiB would block everybody else. */
export async function sha256Apart (bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex')
}
