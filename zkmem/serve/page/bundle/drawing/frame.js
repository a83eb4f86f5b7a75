function answer(mermaid,port){let number=0;port.onmessage=async({data})=>{number+=1,port.postMessage(await drawn(mermaid,
`diagram-${number}`,data).catch(()=>({failure:"could not be drawn"})))},port.postMessage("ready")}async function drawn(mermaid,id,{
source,isDark}){mermaid.initialize({startOnLoad:!1,securityLevel:"strict",theme:isDark?"dark":"default",htmlLabels:!1,flowchart:{
htmlLabels:!1},maxTextSize:5e3,maxEdges:100,suppressErrorRendering:!0}),document.body.replaceChildren();let{svg}=await mermaid.
render(id,source),element=new DOMParser().parseFromString(svg,"text/html").querySelector("svg");if(!element)throw new Error(
"no picture");let{width,height}=element.viewBox.baseVal;element.setAttribute("width",String(width)),element.setAttribute(
"height",String(height));let image=new XMLSerializer().serializeToString(element);return width>1e4||height>1e4||image.length>
2e6?{failure:"is too large"}:{svg:image,width,height}}export{answer};
