// Preloaded, it makes Node look too old to the launcher.
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
