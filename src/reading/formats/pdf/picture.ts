import { crc32, deflateSync } from 'node:zlib'
import type { Pdfium } from './pdfium.ts'

/** Dots an inch, and most of them in a row or column: what recognition needs, and memory that is always there. */
const DPI = 200
const MOST_DOTS = 4000
const POINTS_AN_INCH = 72
/** PDFium's numbers for a bitmap of grey dots, and for drawing in grey with what was written onto the page. */
const GREY = 1
const IN_GREY_WITH_ANNOTATIONS = 9
const WHITE = 0xFF

/** A page as a picture in 16 shades of grey, as PNG; undefined where nothing is on it. */
export function pictureOf (pdfium: Pdfium, page: number): Buffer | undefined {
  const { call } = pdfium
  const [wide, high] = [call.FPDF_GetPageWidthF(page), call.FPDF_GetPageHeightF(page)]
  const scale = Math.min(DPI / POINTS_AN_INCH, MOST_DOTS / Math.max(wide, high))
  const [width, height] = [Math.max(Math.round(wide * scale), 1), Math.max(Math.round(high * scale), 1)]
  const bitmap = call.FPDFBitmap_CreateEx(width, height, GREY, 0, 0)
  if (!bitmap) return undefined
  call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
  call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, IN_GREY_WITH_ANNOTATIONS)
  const [from, stride] = [call.FPDFBitmap_GetBuffer(bitmap), call.FPDFBitmap_GetStride(bitmap)]
  const dots = Buffer.from(pdfium.memory.subarray(from, from + stride * height))
  call.FPDFBitmap_Destroy(bitmap)
  return dots.every((dot, i) => dot === WHITE || i % stride >= width) ? undefined : png(dots, width, height, stride)
}

/** Dots of one byte as a PNG with two of them a byte, which is as much as letters need. */
function png (dots: Buffer, width: number, height: number, stride: number): Buffer {
  const row = 1 + Math.ceil(width / 2)
  const rows = Buffer.alloc(row * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * row + 1 + (x >> 1)]! |= ((dots[y * stride + x] ?? WHITE) >> 4) << (x % 2 ? 0 : 4)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 4
  return Buffer.concat([
    Buffer.from('89504E470D0A1A0A', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0))
  ])
}

function chunk (name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(content.length, 0)
  numbers.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)])
}
