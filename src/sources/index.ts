import multipart from '@fastify/multipart'
import type { FastifyPluginAsync } from 'fastify'
import type { Shown } from '../agents/index.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import { addRoute } from './routes/add.ts'
import { eventRoutes } from './routes/events.ts'
import { folderRoutes } from './routes/folders.ts'
import type { Knowledge } from './open.ts'
import { pagesRoute } from './routes/pages.ts'
import { previewRoutes } from './routes/preview.ts'
import { sourceRoutes } from './routes/sources.ts'
import { searchRoutes } from './routes/search.ts'
import { uploadLimits } from './routes/upload.ts'

export { overStorage, storageRoom, storedBytesFaults } from './accounting.ts'
export { damageIn } from './damage.ts'
export { TOO_MANY_SOURCES } from './routes/add.ts'
export { newSource } from './routes/draft.ts'
export { createWithSources } from './routes/inline.ts'
export { media, sourceFiles, type FindFile } from './routes/media.ts'
export { receiveForm, uploadLimits } from './routes/upload.ts'
export { openKnowledge, type Feeding, type Knowledge, type Outside } from './open.ts'
export { exportAgent, importAgent, PortableAgent, settingsOf } from './portable.ts'
export type { Search } from './search.ts'
export { discardAll, stageBytes, stageStream, stageText } from './stage.ts'
export type { Brought, FedSource, Moved, NewSource, StagedFile } from './contract.ts'

/** All routes of this feature but the files themselves. */
export const knowledgeRoutes: FastifyPluginAsync<{
  knowledge: Knowledge, shown: Shown, streams: EventStreams
}> = async (
  app, { knowledge: { store: knowledge, blobs, search, preview, idempotency, fileLimit }, shown, streams }
) => {
  await app.register(multipart, { limits: uploadLimits(fileLimit), throwFileSizeLimit: false })
  await app.register(sourceRoutes, { knowledge, blobs, shown })
  await app.register(addRoute, { knowledge, blobs, shown })
  await app.register(previewRoutes, { knowledge, preview, idempotency })
  await app.register(pagesRoute, { knowledge, preview })
  await app.register(folderRoutes, { knowledge })
  await app.register(searchRoutes, { knowledge, search, idempotency })
  await app.register(eventRoutes, { knowledge, streams })
}
