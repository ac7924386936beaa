/** The package folders that contain these files. */
export function packagesOf (files: string[]): string[] {
  const folders = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort()
}
