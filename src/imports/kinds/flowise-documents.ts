import type { PlannedSource } from '../contract.ts'
import type { Part } from '../ledger.ts'

/** A document of a store, as a source. */
export interface Document { store: string, source: PlannedSource }

const DOCUMENT_FIELDS = ['id', 'docId', 'storeId', 'chunkNo']
/** Minimum and maximum overlap of adjacent chunks: less is coincidence, and splitters share no more. */
const [LEAST_SHARED, MOST_SHARED] = [20, 1000]

/** The documents of "Export All": the chunks of each in order, with the overlap of adjacent ones included only once. */
export function documentsOf (file: Part): Document[] {
  const documents = new Map<string, Part[]>()
  for (const chunk of file.get('DocumentStoreFileChunk').list()) {
    if (!chunk.get('pageContent').text.trim()) continue
    const key = JSON.stringify([chunk.get('storeId').value, chunk.get('docId').value])
    const chunks = documents.get(key) ?? []
    chunks.push(chunk)
    documents.set(key, chunks)
  }
  for (const store of file.get('DocumentStore').list()) store.dropped('Its documents are sources now. How they were split is not needed.')
  return Array.from(documents.values(), joined)
}

function joined (chunks: Part[]): Document {
  const number = (chunk: Part) => Number(chunk.get('chunkNo').label) || 0
  const sorted = chunks.toSorted((a, b) => number(a) - number(b))
  const texts: string[] = []
  for (const chunk of sorted) {
    const content = chunk.get('pageContent')
    content.carried('sources')
    const shared = sharedWith(texts.at(-1) ?? '', content.text)
    texts.push(shared > 0 ? content.text.slice(shared) : (texts.length ? '\n\n' : '') + content.text)
    for (const name of DOCUMENT_FIELDS) chunk.get(name).ignored('It only says how the chunk was stored.')
  }
  const [first] = sorted as [Part]
  const document = first.get('docId').label
  return {
    store: first.get('storeId').text,
    source: { key: document, type: 'text', title: titleOf(first.get('metadata').json()) || 'Document', text: texts.join('') }
  }
}

/** The number of characters by which the end of one text overlaps the beginning of the next. */
function sharedWith (before: string, text: string): number {
  for (let length = Math.min(before.length, text.length, MOST_SHARED); length >= LEAST_SHARED; length--) {
    if (before.endsWith(text.slice(0, length))) return length
  }
  return 0
}

const titleOf = (metadata: Part) =>
  ['title', 'fileName', 'source', 'url'].map((name) => metadata.get(name).text.trim().slice(0, 500)).find(Boolean)
