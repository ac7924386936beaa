// The parts of undici that the program uses, see src/platform/net/egress.ts. Its own index includes fetch, WebSocket,
// caches and mocks as well, half a megabyte of code.
const Dispatcher = require('../../node_modules/undici/lib/dispatcher/dispatcher.js')
Object.assign(Dispatcher.prototype, require('../../node_modules/undici/lib/api/index.js'))
exports.Agent = require('../../node_modules/undici/lib/dispatcher/agent.js')
exports.buildConnector = require('../../node_modules/undici/lib/core/connect.js')
