/** Preloaded into programs that can't be told an address to listen on: they listen on loopback only. */
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(first, ...rest) {
  if (typeof first === 'object' && first?.port !== undefined)
    return listen.call(this, { ...first, host: '127.0.0.1' }, ...rest);
  if (Number.isInteger(Number(first)))
    return listen.call(
      this,
      { port: Number(first), host: '127.0.0.1' },
      ...rest.filter((argument) => typeof argument === 'function'),
    );
  return listen.call(this, first, ...rest);
};
