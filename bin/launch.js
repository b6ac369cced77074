'use strict';
// Plain JavaScript that any Node can read: explains that an old Node is too old, or continues under the pinned one.
var fs = require('fs');
var path = require('path');
var url = require('url');

// Without a listener this signal opens an inspector, which lets every program of this user run code in here.
process.on('SIGUSR1', () => {});

var NEEDED = [22, 18];
var root = path.dirname(__dirname);

function isEnough(version) {
  var parts = version.split('.').map(Number);
  return parts[0] > NEEDED[0] || (parts[0] === NEEDED[0] && parts[1] >= NEEDED[1]);
}

function pinnedNode() {
  var windows = process.platform === 'win32';
  var names = ['node-' + (windows ? 'win' : process.platform) + '-' + process.arch, 'node-bin-' + process.platform + '-' + process.arch];
  for (var i = 0; i < names.length; i++) {
    var candidate = path.join(root, 'node_modules', names[i], 'bin', windows ? 'node.exe' : 'node');
    if (fs.existsSync(candidate)) return candidate;
  }
  return undefined;
}

function again(node) {
  // The channel carries no messages: it closes when this process is killed, and then the other one ends too.
  var child = require('child_process').spawn(node, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  var signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  signals.forEach((signal) => {
    process.on(signal, () => {
      child.kill(signal);
    });
  });
  child.on('exit', (code, signal) => {
    if (code !== null) process.exit(code);
    signals.forEach((name) => {
      process.removeAllListeners(name);
    });
    process.kill(process.pid, signal);
  });
}

/** A checkout that was never set up has no packages, and so no pinned Node. */
function isBare() {
  return fs.existsSync(path.join(root, 'packages')) && !fs.existsSync(path.join(root, 'node_modules'));
}

function refuse(sentence) {
  process.stderr.write(sentence + '\n');
  process.exit(1);
}

// Released packages and built checkouts have a bundle; a fresh checkout runs its sources.
function entry(name) {
  var places = [
    path.join(root, name + '.js'),
    path.join(root, 'dist', name + '.js'),
    path.join(root, 'packages', 'server', 'src', name + '.ts'),
  ];
  for (var i = 0; i < places.length; i++) if (fs.existsSync(places[i])) return places[i];
  return refuse('Millrace is incomplete: ' + places[0] + ' is missing. Install it again.');
}

module.exports = function launch(name) {
  if (isBare()) return refuse('Millrace is not set up in this folder yet. Run: npm start');
  if (isEnough(process.versions.node)) {
    var compileCache = require('module').enableCompileCache;
    if (compileCache) compileCache();
    return import(url.pathToFileURL(entry(name)).href);
  }
  var node = pinnedNode();
  if (node) return again(node);
  refuse(
    'Millrace needs Node ' +
      NEEDED.join('.') +
      ' or newer; this is ' +
      process.versions.node +
      '. Install a newer Node and start it again.',
  );
};
