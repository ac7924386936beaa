import path from 'node:path'

/** Whether a path is one of these folders or lies in one of them, as it is written. */
export function isWithin (folders: readonly string[], place: string): boolean {
  return folders.some((folder) => {
    const from = path.relative(path.resolve(folder), path.resolve(place))
    return from === '' || (!/^\.\.(\/|$)/.test(from) && !path.isAbsolute(from))
  })
}
