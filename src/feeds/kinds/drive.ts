import { DriveError, type Drive } from '../../crawling/drive.ts'
import type { FeedReader, LookAt } from '../contract.ts'
import { own } from '../../platform/own.ts'

/** Files that a list of Google Drive holds at most. */
const MOST_FILES = 500

/** Reads the files of a folder of Google Drive; which have changed their list says. */
export function driveFolderReader ({ drive, fileLimit }: { drive: Drive, fileLimit: number }): FeedReader {
  return {
    async * list ({ config, signal }: LookAt) {
      // Of a folder that is not shared any more Google lists nothing, and says nothing.
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
        // Of a shortcut the list does not say what it leads to.
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

/** Google's own documents have no ending; they come as those of an office. */
function named (name: string, contentType: string): string {
  const ending = own(OFFICE, contentType) ?? ''
  return name.toLowerCase().endsWith(ending) ? name : name + ending
}
