const BOMS: [number[], string][] = [[[0xEF, 0xBB, 0xBF], 'utf-8'], [[0xFF, 0xFE], 'utf-16le'], [[0xFE, 0xFF], 'utf-16be']]

/**
 * Bytes as text: by byte order mark, else as UTF-8 when they are, else in the named charset, else by guess
 * (UTF-16 without a mark shows as NULs, everything else is read as Windows-1252, which knows no wrong byte).
 */
export function decode (bytes: Uint8Array, charset?: string): string {
  const marked = BOMS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))
  if (marked) return new TextDecoder(marked[1]).decode(bytes)
  const utf16 = unmarkedUtf16(bytes)
  if (utf16) return new TextDecoder(utf16).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return mostlyUtf8(bytes) ?? decoder(charset).decode(bytes)
  }
}

/** A few wrong bytes among many right letters are an accident in a UTF-8 file, not another encoding. */
function mostlyUtf8 (bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes)
  const wrong = text.match(/\uFFFD/g)?.length ?? 0
  const right = text.match(/[^\0-\x7F\uFFFD]/g)?.length ?? 0
  return right > 10 * wrong ? text : undefined
}

/** The `charset` of a content type or of a page's `<meta>`, when it names one. */
export function charsetIn (text: string | undefined): string | undefined {
  return /charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(text ?? '')?.[1]
}

function decoder (charset = 'windows-1252'): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder('windows-1252')
  }
}

/** Western UTF-16 has a NUL in every other byte, always on the same side. */
function unmarkedUtf16 (bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 512)
  if (sample.length < 4 || sample.length % 2) return undefined
  const nuls = [0, 0]
  sample.forEach((byte, i) => { if (byte === 0) nuls[i % 2]!++ })
  const most = sample.length / 2 * 0.7
  if (nuls[1]! > most && nuls[0] === 0) return 'utf-16le'
  if (nuls[0]! > most && nuls[1] === 0) return 'utf-16be'
}
