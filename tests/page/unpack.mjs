// Unpacks the browser in the folder for temporary files. Its path is the only output.
import chromium from "@sparticuz/chromium";

console.log(await chromium.executablePath());
