import { useState } from 'preact/hooks'
import { addressOf, isRefused, refusedOf, type Refused } from '../../api.ts'
import { signInAgain } from '../../session.ts'

/** A file on its way to the server. */
export interface Upload {
  key: number
  file: File
  /** waiting: for its turn; sending: the fraction `sent` is uploaded; sent: the server has it; failed: see `error`. */
  state: 'waiting' | 'sending' | 'sent' | 'failed'
  sent: number
  error?: Refused
}

/** Sends one file. `fetch` reports no upload progress, so this uses XMLHttpRequest. */
function send (
  route: string, file: File, folder: number | undefined, isGone: AbortSignal, onProgress: (sent: number) => void
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const form = new FormData()
    if (folder !== undefined) form.append('agent_knowledge_folder', String(folder))
    form.append('file', file)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => request.status < 300 ? resolve() : reject(refusedOf(request.status, request.responseText))
    request.onerror = request.onabort = () => reject(refusedOf(0, ''))
    isGone.addEventListener('abort', () => request.abort())
    request.open('POST', addressOf(route))
    request.setRequestHeader('accept', 'application/json')
    request.send(form)
  })
}

let last = 0
const stops = new Map<number, AbortController>()
/** One after another, so that many large files do not slow each other down. */
let queue: Promise<void> = Promise.resolve()

/**
 * Files being uploaded at a route, into a folder; refused ones stay until they are retried or removed from the list.
 */
export function useUploads (route: string, onSent: () => void, folder?: number) {
  const [uploads, setUploads] = useState<Upload[]>([])
  const change = (key: number, more: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...more } : one)))
  const drop = (key: number) => setUploads((all) => all.filter((one) => one.key !== key))

  async function sendOne (key: number, file: File, into: number | undefined) {
    const { signal } = stops.get(key)!
    if (signal.aborted) return
    const once = async () => await send(route, file, into, signal, (sent) => change(key, { state: 'sending', sent }))
    change(key, { state: 'sending', sent: 0 })
    try {
      await once().catch(async (error) => {
        if (!isRefused(error) || error.status !== 401 || !await signInAgain()) throw error
        await once()
      })
      drop(key)
      onSent()
    } catch (error) {
      if (!isRefused(error)) throw error
      if (!signal.aborted) change(key, { state: 'failed', error })
    }
  }

  function start (key: number, file: File) {
    stops.set(key, new AbortController())
    queue = queue.then(async () => await sendOne(key, file, folder))
  }

  return {
    uploads,
    add (files: Iterable<File>) {
      for (const file of files) {
        const key = ++last
        setUploads((all) => [...all, { key, file, state: 'waiting', sent: 0 }])
        start(key, file)
      }
    },
    again ({ key, file }: Upload) {
      change(key, { state: 'waiting', sent: 0 })
      start(key, file)
    },
    cancel ({ key }: Upload) {
      stops.get(key)?.abort()
      drop(key)
    }
  }
}
