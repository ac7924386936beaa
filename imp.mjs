const c = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
const m = () => (process.memoryUsage.rss() / 2 ** 20) | 0
let a = c(); console.log('base', a | 0, 'cpu ms; rss', m())
for (const s of process.argv.slice(2)) { await import(s); const b = c(); console.log(s, (b - a) | 0, 'ms; rss', m(), 'heap', process.memoryUsage().heapUsed / 2 ** 20 | 0, process.memoryUsage().heapTotal / 2 ** 20 | 0); a = b }
