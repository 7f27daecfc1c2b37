// Unpacks the Chromium of the package to the folder for temporary files. chromium.ts starts it, in
// a process of its own.
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
