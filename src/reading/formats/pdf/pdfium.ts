import { init } from '@embedpdf/pdfium'
import { asset } from '../../../platform/process/assets.ts'
import { ExtractError } from '../../error.ts'

/** PDFium's code, which runs in its own memory: an exploit reaches nothing else. */
export const PDFIUM = 'node_modules/@embedpdf/pdfium/dist/pdfium.wasm'

type Functions = Awaited<ReturnType<typeof init>>
/** Its memory as the library shows it; the types leave that out. Views are recreated when the memory grows. */
interface Views { HEAPU8: Uint8Array, HEAPF32: Float32Array, HEAPF64: Float64Array }

/** What PDFium answers where it cannot open a file for want of its password. */
const PASSWORD_MISSING = 4
/** Bytes reserved for PDFium's output: a few numbers, or a short text. */
const ROOM = 8192

/** PDFium with its memory: its functions take and give addresses there. */
export class Pdfium {
  readonly call: Functions
  readonly #room: number

  private constructor (call: Functions) {
    this.call = call
    this.#room = this.take(ROOM)
  }

  static async start (): Promise<Pdfium> {
    const code = asset(PDFIUM)
    const call = await init({
      wasmBinary: code.buffer.slice(code.byteOffset, code.byteOffset + code.byteLength) as ArrayBuffer
    })
    call.PDFiumExt_Init()
    return new Pdfium(call)
  }

  /** Memory of PDFium's, as it lies there now. */
  get memory (): Buffer {
    return Buffer.from(this.#views.HEAPU8.buffer)
  }

  get #views (): Views {
    return this.call.pdfium as unknown as Views
  }

  take (bytes: number): number {
    return this.call.pdfium.wasmExports.malloc(bytes)
  }

  free (address: number) {
    this.call.pdfium.wasmExports.free(address)
  }

  /** Opens a document, for as long as this process lives. Throws `encrypted` or `damaged`. */
  open (bytes: Uint8Array): number {
    const at = this.take(bytes.length)
    this.memory.set(bytes, at)
    const document = this.call.FPDF_LoadMemDocument(at, bytes.length, '')
    if (document) return document
    throw new ExtractError(this.call.FPDF_GetLastError() === PASSWORD_MISSING ? 'encrypted' : 'damaged')
  }

  /** A text that a function writes, given where to and how much room there is; it answers how much it needs. */
  text (write: (to: number, room: number) => number): string {
    const bytes = write(this.#room, ROOM)
    if (bytes <= ROOM) return this.#utf16(this.#room, bytes)
    const more = this.take(bytes)
    try {
      return this.#utf16(more, write(more, bytes))
    } finally {
      this.free(more)
    }
  }

  /** A pair of numbers that a function writes, given where each belongs; undefined where it has none. */
  pair (write: (first: number, second: number) => boolean): [number, number] | undefined {
    if (!write(this.#room, this.#room + 8)) return undefined
    const [first = 0, second = 0] = this.#views.HEAPF64.subarray(this.#room / 8)
    return [first, second]
  }

  /** Numbers of half that width that it writes one behind the other. */
  floats (count: number, write: (to: number) => boolean): number[] | undefined {
    if (!write(this.#room)) return undefined
    return [...this.#views.HEAPF32.subarray(this.#room / 4, this.#room / 4 + count)]
  }

  /** Whether a function that would write down a length does so. */
  has (write: (length: number) => boolean): boolean {
    return write(this.#room)
  }

  /** Text without the NUL at its end. */
  #utf16 (at: number, bytes: number): string {
    return this.memory.toString('utf16le', at, at + Math.max(bytes - 2, 0))
  }
}
