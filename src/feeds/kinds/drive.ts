import { DriveError, type Drive } from '../../crawling/drive.ts'
import type { FeedReader, LookAt } from '../contract.ts'
import { ownProperty } from '../../platform/objects.ts'

/** Maximum files per list of Google Drive. */
const MOST_FILES = 500

/** Reads the files of a Google Drive folder; the list tells which have changed. */
export function driveFolderReader ({ drive, fileLimit }: { drive: Drive, fileLimit: number }): FeedReader {
  return {
    async * list ({ config, signal }: LookAt) {
      // For a folder that is no longer shared, Google lists nothing and reports no error.
      await drive.describe(config['folder']!, signal)
      const files = await drive.list(config['folder']!, signal)
      yield files.map((file) => ({
        key: file.id,
        title: file.name,
        url: file.webViewLink,
        changedAt: file.revision || null,
        ...(file.revision && { digest: file.revision }),
        place: file
      }))
      return { isWhole: files.length < MOST_FILES, cursor: null }
    },

    async read ({ title, place }, { signal }) {
      const listed = place as Awaited<ReturnType<Drive['list']>>[number]
      try {
        // The list does not say what a shortcut leads to.
        const file = listed.revision === '' ? await drive.describe(listed.id, signal) : listed
        const { bytes, contentType } = await drive.download(file, { maxBytes: fileLimit, signal })
        return { content: { bytes, name: named(file.name, contentType), title } }
      } catch (error) {
        if (error instanceof DriveError && !error.retryable) return { failed: error }
        throw error
      }
    }
  }
}

const OFFICE: Record<string, string> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx'
}

/** Google's own documents have no extension; they are exported as Office files. */
function named (name: string, contentType: string): string {
  const ending = ownProperty(OFFICE, contentType) ?? ''
  return name.toLowerCase().endsWith(ending) ? name : name + ending
}
