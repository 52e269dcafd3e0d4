// Preloaded into a bot: a worker pauses the main thread when leitai asks for it, also while the main
// thread waits for input. The first argument of the worker is a folder for signs.
const { Worker, isMainThread } = require('node:worker_threads');
const folder = process.env.LEITAI_DEBUG_FOLDER;
delete process.env.LEITAI_DEBUG_FOLDER;
if (isMainThread && folder) {
  const code = `
    const fs = require('node:fs');
    const { Session } = require('node:inspector');
    const { workerData } = require('node:worker_threads');
    const session = new Session();
    const timer = setInterval(() => {
      if (!fs.existsSync(workerData + '/pause')) return;
      clearInterval(timer);
      session.connectToMainThread();
      const urls = new Map();
      session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
      let steps = 0, done = false;
      session.on('Debugger.paused', ({ params }) => {
        const url = urls.get(params.callFrames[0]?.location.scriptId) || 'node:';
        const inside = url.startsWith('node:');
        if (!done && inside && ++steps < 5000) session.post('Debugger.stepInto');
        else if (!done) fs.writeFileSync(workerData + '/paused', ''), (done = true);
      });
      session.post('Debugger.enable');
      // Nobody wants to begin inside node's own files.
      session.post('Debugger.setBlackboxPatterns', { patterns: ['^node:'] });
      session.post('Debugger.pause');
      setTimeout(() => fs.writeFileSync(workerData + '/armed', ''), 50);
      setInterval(() => {}, 1000);
    }, 10);
    fs.writeFileSync(workerData + '/started', '');
  `;
  new Worker(code, { eval: true, workerData: folder, execArgv: [], stdin: false }).unref();
}
