/**
 * Settings of the Node-RED that tests start: on loopback, without editor, palette and telemetry. Its life is that of
 * the test: it ends when its standard input does, whatever became of the process that started it.
 */
const crypto = require('node:crypto');
const { Socket } = require('node:net');

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

// It has nothing to ask anybody but the product under test; who tries is refused, and the test sees this line.
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const host = options?.host ?? 'localhost';
  if (!options?.path && !LOOPBACK.includes(host)) {
    console.log(`OUTSIDE ${host}`);
    throw new Error(`no connection to ${host} in this test`);
  }
  return connect.apply(this, args);
};

process.stdin.on('end', () => process.exit()).resume();

module.exports = {
  uiHost: '127.0.0.1',
  // Of its log, which is read.
  lang: 'en-US',
  flowFile: 'flows.json',
  credentialSecret: crypto.randomBytes(16).toString('hex'),
  httpAdminRoot: '/admin',
  httpNodeRoot: '/',
  disableEditor: true,
  telemetry: { enabled: false, updateNotification: false },
  externalModules: {
    autoInstall: false,
    palette: { allowInstall: false, allowUpload: false, allowUpdate: false },
    modules: { allowInstall: false },
  },
  functionExternalModules: false,
  functionGlobalContext: { crypto },
  logging: { console: { level: 'info', metrics: false, audit: false } },
};
