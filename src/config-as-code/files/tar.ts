/*
 * Files as a tar archive (POSIX ustar), which every system unpacks. The same files are the same bytes.
 */

import { takingTurns } from '../../platform/work/slices.ts'

const BLOCK = 512
const LONGEST_NAME = 100

/** An archive, a file at a time. Paths are of ASCII and no longer than 250 characters. */
export async function * tarOf (
  files: Iterable<{ path: string, bytes: () => Promise<Buffer> }>
): AsyncGenerator<Buffer> {
  const turn = takingTurns()
  for (const { path, bytes } of files) {
    await turn()
    const content = await bytes()
    yield headerOf(path, content.length)
    yield content
    yield Buffer.alloc((BLOCK - content.length % BLOCK) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function headerOf (path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const cut = path.length <= LONGEST_NAME ? -1 : path.indexOf('/', path.length - LONGEST_NAME - 1)
  const put = (value: string, at: number) => header.write(value, at, 'latin1')
  const number = (value: number, length: number, at: number) => put(value.toString(8).padStart(length - 1, '0'), at)
  put(path.slice(cut + 1), 0)
  number(0o644, 8, 100)
  number(0, 8, 108)
  number(0, 8, 116)
  number(size, 12, 124)
  number(0, 12, 136)
  put('        ', 148)
  put('0', 156)
  put('ustar\x0000', 257)
  if (cut >= 0) put(path.slice(0, cut), 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
